package column

import (
	"strings"
	"testing"
)

func TestNamesSite(t *testing.T) {
	for _, name := range strings.Split("site,SITE_ID,Site ID,site.id,site-id,Study Site,Site (MRI),site2,site_num,siteID,"+
		"acquisition_site,Center,centre_nr,scanner,Scanner_Serial,scanner_model,DeviceSerialNumber,Manufacturer,"+
		"ManufacturersModelName,vendor,institute,InstitutionName,hospital,StationName,scanner_type,lab,study,dataset,"+
		"cohort,collection,SITEID,site_id_l,mri_info_deviceserialnumber,uk_biobank_assessment_centre_f54_0_0,54-0.0,"+
		"f.54.0.0,p54_i0,x54_0_0,Standort_site,study_center", ",") {
		if !NamesSite(name) {
			t.Errorf("%s is no site", name)
		}
	}
	for _, name := range strings.Split("age,sex,website_visits,parasite,centered_fd,center_of_mass,scan_date,IQ,batched,"+
		"days_in_hospital,daysInHospital,n_sites,number_of_sites,time_in_scanner,study_duration,lab_glucose,labile,"+
		"collection_date,stationary,54,154-0.0,21003-0.0,age_at_study,PTGENDER", ",") {
		if NamesSite(name) {
			t.Errorf("%s is a site", name)
		}
	}
}
